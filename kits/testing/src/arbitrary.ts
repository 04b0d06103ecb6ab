import * as fc from 'fast-check'

/** The part of JSON Schema that API documents use. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

/** Makes values for a schema of an OpenAPI document: mostly valid, now and then wild, to see how a service takes both. */
export function arbitraryOf(schema: object, document: object): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: valueOf(schema as Schema, document) }, { weight: 1, arbitrary: wild })
}

/** Values no schema asks for. */
const wild: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    '',
    -1,
    2 ** 53,
    true,
    [],
    {},
    '\n',
    '\u0000',
    '__proto__',
    { constructor: 1 },
    'x'.repeat(5000),
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

function valueOf(schema: Schema, document: object): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueOf(resolve(schema.$ref, document), document)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, document)))
  const type = Array.isArray(schema.type) ? (schema.type as string[])[0] : schema.type
  switch (type ?? 'anything') {
    case 'object':
      return objectOf(schema, document)
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, document), { maxLength: 3 })
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 100_000, 2 ** 31 - 1),
      })
    case 'number':
      return fc.double({ noNaN: true, min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6 })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return fc.string({
        minLength: Math.min(schema.minLength ?? 0, 50),
        maxLength: Math.min(schema.maxLength ?? 20, 200),
      })
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

function objectOf(schema: Schema, document: object): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, arbitraryOf(member, document)] as const,
  )
  const required = (schema.required ?? []).filter((name) => members.some(([known]) => known === name))
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
}

function resolve(reference: string, document: object): Schema {
  let found: unknown = document
  for (const part of reference.slice(2).split('/')) found = (found as Record<string, unknown>)[part]
  return found as Schema
}
