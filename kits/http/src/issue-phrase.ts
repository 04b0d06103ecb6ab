import type { z } from 'zod'

/** An issue of one value, as the validation library reports it. */
export interface SchemaIssue {
  readonly keyword: string
  readonly message: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The end of a sentence that begins with the member's name: "limit must be at most 100". */
export function phraseOfIssue({ keyword, message, params }: SchemaIssue): string {
  switch (keyword) {
    case 'too_big':
      return `must ${amount(params['origin'], `at most ${String(params['maximum'])}`)}`
    case 'too_small':
      return `must ${amount(params['origin'], `at least ${String(params['minimum'])}`)}`
    case 'invalid_type':
      return message.endsWith('received undefined') ? 'is missing' : `must be ${article(String(params['expected']))}`
    case 'invalid_value':
      return `must be one of ${(params['values'] as unknown[]).map(String).join(', ')}`
    case 'invalid_format':
      return message.startsWith('Invalid ') ? `is not a valid ${formatName(String(params['format']))}` : message
    default:
      return message
  }
}

function amount(origin: unknown, limit: string): string {
  if (origin === 'string') return `have ${limit} characters`
  return origin === 'array' || origin === 'set' ? `have ${limit} entries` : `be ${limit}`
}

function article(type: string): string {
  const name = { int: 'whole number', record: 'object', array: 'list' }[type] ?? type
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`
}

function formatName(format: string): string {
  const names: Record<string, string> = {
    ipv4: 'IPv4 address',
    ipv6: 'IPv6 address',
    cidrv4: 'IPv4 network in CIDR form',
    cidrv6: 'IPv6 network in CIDR form',
    datetime: 'date and time in ISO 8601',
    email: 'e-mail address',
    uuid: 'UUID',
  }
  return names[format] ?? format
}

/** The same for an issue as zod itself reports it, for commands. */
export function phraseOfZodIssue(issue: z.core.$ZodIssue): string {
  return phraseOfIssue({ keyword: issue.code ?? '', message: issue.message, params: { ...issue } })
}
