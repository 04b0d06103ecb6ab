/** Warns the operator in one line on stderr; the command goes on. */
export function warnOnTerminal(message: string): void {
  process.stderr.write(`warning: ${message}\n`)
}

/** Tells the operator in one line on stderr what was done. */
export function informOnTerminal(message: string): void {
  process.stderr.write(`${message}\n`)
}

/**
 * An error that the operator must fix before the program can go on: a wrong setting, a locked data directory, a missing
 * file. `message` is one line that names the offending part; the command line prints it and exits with 1.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'

  constructor(message: string, options?: ErrorOptions) {
    // Reasons of libraries may hold line breaks.
    super(message.replaceAll(/\s*\n\s*/g, ' '), options)
  }
}
