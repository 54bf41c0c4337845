import { Module } from '@nestjs/common';
import { migrateStores } from './stores.of';
import { storeProvider, type Storage } from './storage';

const storage = { kind: 'mongoose', database: 'the database', check: () => Promise.resolve() } as unknown as Storage;

describe('migrating the stores of modules', () => {
  let migrated: string[];
  beforeEach(() => (migrated = []));

  const store = (name: string) => {
    class Store {
      constructor(private readonly database: unknown) {}
      async migrate(): Promise<void> {
        await Promise.resolve();
        migrated.push(`${name} in ${String(this.database)}`);
      }
    }
    return storeProvider(Symbol(name), { libsql: Store, mongoose: Store });
  };

  it('migrates the stores of imported and dynamic modules once each, and creates no other provider', async () => {
    const other = jest.fn();
    @Module({ providers: [store('shared'), { provide: 'other', useFactory: other }] })
    class Shared {}
    @Module({ providers: [class Plain {}, store('one')], imports: [Shared] })
    class One {}
    class Dynamic {}
    const two = { module: Dynamic, providers: [store('two')], imports: [Shared] };
    expect(await migrateStores([One, two, One], storage)).toBe(3);
    expect(migrated).toEqual(['one in the database', 'shared in the database', 'two in the database']);
    expect(other).not.toHaveBeenCalled();
  });

  it('fails with the error of the store that fails', async () => {
    class Broken {
      migrate = () => Promise.reject(new Error('no such right'));
    }
    @Module({ providers: [storeProvider(Symbol('broken'), { libsql: Broken, mongoose: Broken })] })
    class Bad {}
    await expect(migrateStores([Bad], storage)).rejects.toThrow('no such right');
  });
});
