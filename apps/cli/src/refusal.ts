/** Why a command did not do what it was asked, in words for whoever typed it. */
export class Refusal extends Error {
  constructor(
    message: string,
    /** 1 it could not, 2 it was called wrongly, 3 there is no such thing. */
    readonly exitCode: 1 | 2 | 3,
  ) {
    super(message);
  }
}
