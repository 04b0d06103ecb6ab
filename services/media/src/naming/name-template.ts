/** Fields that a template of file names may have. */
const nameFields = [
  'title',
  'artist',
  'album',
  'channel',
  'date',
  'year',
  'bpm',
  'key',
  'camelot',
  'quality',
  'platform',
  'id',
] as const

type NameField = (typeof nameFields)[number]

/** Values of the fields for one file; unknown ones are empty. */
export type NameValues = Readonly<Record<NameField, string>>

/** Templates that give the names files have without a setting. */
export const defaultTemplates: Readonly<Record<'audio' | 'video', string>> = {
  audio: '{title}[_{bpm}bpm]',
  video: '{title} ({quality}Quality)',
}

/** A part of a template: a text, a field, or parts that are left out together when a field among them is empty. */
type Part = { readonly text: string } | { readonly field: NameField } | { readonly group: readonly Part[] }

const maxLength = 200
/** Characters that no file system and no header allows everywhere. */
// oxlint-disable-next-line no-control-regex
const reserved = /[<>:"/\\|?*\u0000-\u001f\u007f]/

/**
 * Reads a template: `{title}` is a field, and `[_{bpm}bpm]` is left out where the tempo is not known. Throws an `Error` whose
 * message says what is wrong.
 */
export function parseTemplate(template: string): readonly Part[] {
  const text = template.trim()
  if (text === '') throw new Error('must not be empty')
  if (text.length > maxLength) throw new Error(`must have at most ${maxLength} characters`)
  const bad = reserved.exec(text)?.[0]
  if (bad !== undefined)
    throw new Error(`must not contain ${bad >= ' ' && bad !== '\u007f' ? bad : 'control characters'}`)
  const parts = [...text.matchAll(/\[([^[\]]*)\]|[^[\]]+|[[\]]/g)].flatMap(([whole, inside]): Part[] => {
    if (inside === undefined) {
      if (whole === '[' || whole === ']') throw new Error(`has a ${whole} without its counterpart`)
      return fieldsOf(whole)
    }
    const group = fieldsOf(inside)
    if (!group.some((part) => 'field' in part)) throw new Error(`has no field in [${inside}]`)
    return [{ group }]
  })
  return parts
}

function fieldsOf(text: string): Part[] {
  return [...text.matchAll(/\{([^{}]*)\}|[^{}]+|[{}]/g)].map(([whole, name]) => {
    if (name === undefined) {
      if (whole === '{' || whole === '}') throw new Error(`has a ${whole} without its counterpart`)
      return { text: whole }
    }
    const field = nameFields.find((known) => known === name)
    if (field === undefined) throw new Error(`has the unknown field {${name}}; known are ${nameFields.join(', ')}`)
    return { field }
  })
}

/** Fills a template in. */
export function renderTemplate(parts: readonly Part[], values: NameValues): string {
  return parts
    .map((part) => {
      if ('text' in part) return part.text
      if ('field' in part) return values[part.field]
      const isKnown = part.group.every((inner) => !('field' in inner) || values[inner.field] !== '')
      return isKnown ? renderTemplate(part.group, values) : ''
    })
    .join('')
}
