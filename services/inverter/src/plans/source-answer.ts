/** An answer of a source, or a file, that cannot be read; the message says what is wrong with it. */
export class UnreadableAnswer extends Error {
  override readonly name: string = 'UnreadableAnswer'
}

/** A source says no; the message has its own words. */
export class SourceRefusal extends UnreadableAnswer {
  override readonly name = 'SourceRefusal'
}

/** Reads a document in JSON. Throws `UnreadableAnswer`. */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableAnswer('the answer is not JSON')
  }
}
