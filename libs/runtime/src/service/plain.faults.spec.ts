import { fatalFields } from './plain.faults';

describe('the fields of the last line that a process logs', () => {
  it.each(['can_not_listen', 'data_unusable', 'data_incomplete', 'data_unreadable', 'directory_locked'])(
    'are the code alone where the text says what to do: %s',
    (code) => expect(fatalFields(Object.assign(new Error('what to do'), { code }))).toEqual({ code }),
  );

  it('are the whole error otherwise, also if it has a code', () => {
    const error = Object.assign(new Error('a defect'), { code: 'EIO' });
    expect(fatalFields(error)).toEqual({ err: error });
  });
});
