/** One page of rows and how many there are in all. */
export interface Page<Row> {
  readonly rows: Row[]
  readonly total: number
}

/** Makes a search text safe inside `like … escape '\'`. */
export function likePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
}
