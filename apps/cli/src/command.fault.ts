/** Why a command did not do what it was asked, in words for whoever typed it. */
export class CommandFault extends Error {
  constructor(
    message: string,
    /** 1 it could not, 2 it was called wrongly, 3 there is no such thing, 78 (EX_CONFIG of sysexits.h) its environment can't be used. */
    readonly exitCode: 1 | 2 | 3 | 78,
  ) {
    super(message);
  }
}
