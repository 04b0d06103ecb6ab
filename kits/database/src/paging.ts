/** One page of rows and the total number of rows. */
export interface Page<Row> {
  readonly rows: Row[]
  readonly total: number
}

/** Makes a search text safe inside `like … escape '\'`. */
export function likePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
}
