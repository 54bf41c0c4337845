/** Why a command failed, in words for the person who typed it. */
export class CommandFault extends Error {
  constructor(
    message: string,
    /** 1: it failed; 2: wrong usage; 3: no such thing; 78 (EX_CONFIG of sysexits.h): the environment cannot be used. */
    readonly exitCode: 1 | 2 | 3 | 78,
  ) {
    super(message);
  }
}
