import { MODULE_METADATA } from '@nestjs/common/constants';
import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { isStoreOpener, type Storage } from './storage';

type AnyModule = Type | DynamicModule;

const listOf = <T>(module: Type, key: string): T[] => (Reflect.getMetadata(key, module) ?? []) as T[];

/** The functions that open the stores of a module and of the modules that it imports. */
function openersOf(module: AnyModule, seen: Set<unknown>): ((storage: Storage) => Promise<unknown>)[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const { module: type, imports = [], providers = [] } = 'module' in module ? module : { module };
  const inside = [...imports, ...listOf<AnyModule>(type, MODULE_METADATA.IMPORTS)] as AnyModule[];
  const factories = [...providers, ...listOf<Provider>(type, MODULE_METADATA.PROVIDERS)].map((provider) =>
    'useFactory' in provider ? provider.useFactory : undefined,
  );
  return [...factories.filter(isStoreOpener), ...inside.flatMap((imported) => openersOf(imported, seen))];
}

/** Brings the tables or indexes of all stores in these modules up to date, one after the other; resolves with their number. */
export async function migrateStores(modules: AnyModule[], storage: Storage): Promise<number> {
  const seen = new Set<unknown>();
  const openers = modules.flatMap((module) => openersOf(module, seen));
  for (const open of openers) await open(storage);
  return openers.length;
}
