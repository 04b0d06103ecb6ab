import * as fc from 'fast-check'

/** The part of JSON Schema that API documents use. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

/** Options for making values of a schema: the document that `$ref` points into, how to mix in wild values, the depth left. */
interface Making {
  readonly document: object
  readonly mix: (valid: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>
  readonly depth: number
}

/** Beyond this depth members that may be left out are, so that schemas that contain themselves come to an end. */
const deepest = 6

/** Makes values for a schema of an OpenAPI document: mostly valid, now and then wild, to see how a service takes both. */
export function arbitraryOf(schema: object, document: object): fc.Arbitrary<unknown> {
  const mix = (valid: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: wild })
  return placeOf(schema, { document, mix, depth: 0 })
}

/** Makes only values that fit the schema, as far as keywords that contradict each other allow. */
export function validArbitraryOf(schema: object, document: object): fc.Arbitrary<unknown> {
  return placeOf(schema, { document, mix: (valid) => valid, depth: 0 })
}

/** Values no schema asks for. */
const wild: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    '',
    -1,
    0.1,
    2 ** 53,
    1e308,
    true,
    [],
    {},
    '\n',
    '\u0000',
    '../../etc/passwd',
    "' or 1=1 --",
    '__proto__',
    { constructor: 1 },
    JSON.parse('{"__proto__": {"admin": true}}'),
    'x'.repeat(5000),
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

function placeOf(schema: Schema, making: Making): fc.Arbitrary<unknown> {
  return making.mix(valueOf(schema, making))
}

function valueOf(schema: Schema, making: Making): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueOf(resolve(schema.$ref, making.document), making)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, making)))
  if (schema.allOf !== undefined) return valueOf(merge(schema, making.document), making)
  if (Array.isArray(schema.type))
    return fc.oneof(...(schema.type as string[]).map((type) => valueOf({ ...schema, type }, making)))
  switch (schema.type ?? 'anything') {
    case 'object':
      return objectOf(schema, making)
    case 'array':
      return arrayOf(schema, making)
    case 'integer':
      return integerOf(schema)
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return stringOf(schema)
    default:
      return schema.properties === undefined ? fc.jsonValue({ maxDepth: 1 }) : objectOf(schema, making)
  }
}

function objectOf(schema: Schema, making: Making): fc.Arbitrary<unknown> {
  const inner = { ...making, depth: making.depth + 1 }
  const required = new Set(schema.required)
  const named = Object.entries(schema.properties ?? {}).filter(([name]) => making.depth < deepest || required.has(name))
  const members = fc.record(Object.fromEntries(named.map(([name, member]) => [name, placeOf(member, inner)])), {
    requiredKeys: named.map(([name]) => name).filter((name) => required.has(name)),
  })
  const others = schema.additionalProperties
  if (named.length > 0 || others === undefined || others === false || making.depth >= deepest) return members
  const value = others === true ? fc.jsonValue({ maxDepth: 1 }) : placeOf(others, inner)
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), value, { maxKeys: 3 })
}

function arrayOf(schema: Schema, making: Making): fc.Arbitrary<unknown> {
  const inner = { ...making, depth: making.depth + 1 }
  if (schema.prefixItems !== undefined) return fc.tuple(...schema.prefixItems.map((item) => placeOf(item, inner)))
  const minLength = schema.minItems ?? 0
  const maxLength = making.depth < deepest ? Math.max(minLength, Math.min(schema.maxItems ?? 3, 3)) : minLength
  return fc.array(placeOf(schema.items ?? {}, inner), { minLength, maxLength })
}

function integerOf(schema: Schema): fc.Arbitrary<number> {
  const step = schema.multipleOf ?? 1
  const low = Math.max(schema.minimum ?? -1000, (schema.exclusiveMinimum ?? -Infinity) + 1, Number.MIN_SAFE_INTEGER)
  const high = Math.min(schema.maximum ?? Math.max(low, 0) + 100_000, (schema.exclusiveMaximum ?? Infinity) - 1)
  const steps = { min: Math.ceil(low / step), max: Math.floor(Math.min(high, Number.MAX_SAFE_INTEGER) / step) }
  return fc.integer(steps).map((count) => count * step)
}

function numberOf(schema: Schema): fc.Arbitrary<number> {
  const min = schema.minimum ?? schema.exclusiveMinimum ?? -1e6
  const max = schema.maximum ?? schema.exclusiveMaximum ?? Math.max(min, 0) + 1e6
  return fc.double({
    noNaN: true,
    min,
    max,
    minExcluded: schema.exclusiveMinimum !== undefined,
    maxExcluded: schema.exclusiveMaximum !== undefined,
  })
}

const formats: Record<string, () => fc.Arbitrary<string>> = {
  'date-time': () =>
    fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  date: () =>
    fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
  email: () => fc.stringMatching(/^[a-z][a-z0-9]{0,8}@[a-z]{1,8}\.org$/),
  uuid: () => fc.uuid(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri: () => fc.webUrl(),
  hostname: () => fc.domain(),
}

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const format = formats[schema.format ?? '']
  if (format !== undefined) return format()
  const minLength = schema.minLength ?? 0
  const maxLength = Math.max(minLength, Math.min(schema.maxLength ?? 20, 200))
  const any = fc.string({ minLength, maxLength })
  if (schema.pattern === undefined) return any
  try {
    const matching = matchingOf(schema.pattern)
    const limit = schema.maxLength ?? Infinity
    return matching.map((text) => (text.length > limit ? text.slice(0, limit) : text))
  } catch {
    // Patterns with look-around cannot be turned around; values that miss the pattern are of use too.
    return any
  }
}

/** What makes texts of a pattern, by the pattern: a document names few of them often, and each costs a table of all characters. */
const matchers = new Map<string, fc.Arbitrary<string>>()

function matchingOf(pattern: string): fc.Arbitrary<string> {
  const known = matchers.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'))
  matchers.set(pattern, known)
  return known
}

/** One schema with the members of all parts of an `allOf`. */
function merge(schema: Schema, document: object): Schema {
  const { allOf = [], ...own } = schema
  const parts = [own as Schema, ...allOf].map((part) => (part.$ref === undefined ? part : resolve(part.$ref, document)))
  const flat = parts.map((part) => (part.allOf === undefined ? part : merge(part, document)))
  return {
    ...(Object.assign({}, ...flat) as Schema),
    properties: Object.assign({}, ...flat.map(({ properties }) => properties ?? {})) as Record<string, Schema>,
    required: flat.flatMap(({ required }) => required ?? []),
  }
}

function resolve(reference: string, document: object): Schema {
  let found: unknown = document
  for (const part of reference.slice(2).split('/').map(unescape)) found = (found as Record<string, unknown>)[part]
  return found as Schema
}

function unescape(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
}
