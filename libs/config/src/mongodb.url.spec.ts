import { mongodbUrl } from './mongodb.url';

describe('an address of MongoDB', () => {
  it.each([
    'mongodb://m',
    'mongodb://m/',
    'mongodb://m/?tls=true',
    'mongodb://m1,m2:27018/db?replicaSet=a.b',
    'mongodb+srv://user:secret@m/db',
    'mongodb://%2Ftmp%2Fmongodb.sock/db',
    `mongodb://m/${'x'.repeat(63)}`,
  ])('can be %s', (address) => {
    expect(mongodbUrl(address)).toEqual({ value: address });
  });

  it.each(['mongo://user:secret@m/db', 'm:27017', 'mongodb://'])('is refused, and not repeated: %s', (address) => {
    expect(mongodbUrl(address)).toEqual({ fault: 'must be a mongodb:// or mongodb+srv:// address' });
  });

  it.each(['a.b', 'a%20b', 'a$b', 'a/b', 'a"b', 'a\\b', 'x'.repeat(64)])('names no database %s', (name) => {
    expect(mongodbUrl(`mongodb://user:s/e.c@m/${name}?tls=true`)).toEqual({
      fault: expect.stringMatching(/^must name a database of at most 63 characters, none of which .* \$ %$/) as string,
    });
  });
});
