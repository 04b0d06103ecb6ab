/** A file of another program as it was given, such as `wg0.conf`. It may hold secrets. */
export interface GivenFile {
  readonly name: string
  readonly content: Buffer
}

/** Something that another program had and that does not come along. */
export interface LeftOut {
  /** What it is about, such as a file, an interface or a rule. */
  readonly about: string
  readonly reason: string
}

/** A file that cannot be used: its name and the reason, without anything secret that stands in it. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
  readonly file: string

  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`)
    this.file = file
  }
}
