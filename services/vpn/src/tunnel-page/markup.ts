import { escapeMarkup } from '@hearth/http'

/** Text that is HTML. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Markup | string | number | null | false | readonly Piece[]

/** HTML of a template: what is put into it is text, unless it is `Markup`; null and false are nothing. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(
    strings.map((string, index) => `${string}${index < pieces.length ? textOf(pieces[index] ?? null) : ''}`).join(''),
  )

function textOf(piece: Piece): string {
  if (piece === null || piece === false) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return escapeMarkup(String(piece))
}
