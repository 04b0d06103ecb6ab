import { stripVTControlCharacters } from 'node:util'

/** A text of others in one line: the terminal stays as it is. */
export const plain = (text: string): string => stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, '?')

/** Cells in one line, with tabs between them. */
export const cellsLine = (cells: readonly (string | number)[]): string =>
  cells.map((cell) => plain(String(cell))).join('\t')
