import { MODULE_METADATA } from '@nestjs/common/constants';
import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { isStoreOpener, type Storage } from './storage';

type AnyModule = Type | DynamicModule;

const metadataOf = <T>(module: Type, key: string): T[] => (Reflect.getMetadata(key, module) ?? []) as T[];

/** The functions that open the stores of a module and of the modules that it imports. */
function storeOpenersOf(module: AnyModule, seen: Set<unknown>): ((storage: Storage) => Promise<unknown>)[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const { module: type, imports = [], providers = [] } = 'module' in module ? module : { module };
  const importedModules = [...imports, ...metadataOf<AnyModule>(type, MODULE_METADATA.IMPORTS)] as AnyModule[];
  const factories = [...providers, ...metadataOf<Provider>(type, MODULE_METADATA.PROVIDERS)].map((provider) =>
    'useFactory' in provider ? provider.useFactory : undefined,
  );
  return [...factories.filter(isStoreOpener), ...importedModules.flatMap((imported) => storeOpenersOf(imported, seen))];
}

/** Brings the tables or indexes of all stores in these modules up to date, one after the other; resolves with their number. */
export async function migrateStores(modules: AnyModule[], storage: Storage): Promise<number> {
  const seen = new Set<unknown>();
  const openers = modules.flatMap((module) => storeOpenersOf(module, seen));
  for (const open of openers) await open(storage);
  return openers.length;
}
