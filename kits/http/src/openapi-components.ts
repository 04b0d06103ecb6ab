type Json = Record<string, unknown>

interface Operation {
  readonly tags?: readonly string[]
  parameters?: Json[]
  responses: Record<string, Json>
}

/** An OpenAPI document, as far as its components are concerned. */
export interface OpenApiDocument extends Json {
  readonly paths?: Record<string, Record<string, Operation>>
  readonly components?: Record<string, Json>
}

const responseNames: Readonly<Record<string, string>> = {
  303: 'SeeOther',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
}

/**
 * Moves what operations have in common to `components`: error answers, parameters that more than one operation takes, and of
 * the named schemas those that are used, in one form where requests and answers have the same.
 */
export function shareComponents(original: OpenApiDocument): OpenApiDocument {
  const document = structuredClone(original)
  const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))
  const shared = { parameters: shareParameters(operations), responses: shareResponses(operations) }
  return withUsedSchemas({ ...document, components: { ...document.components, ...shared } })
}

/** Components of one kind: equal ones are one, and different ones have different names. */
function createComponents(kind: string) {
  const names = new Map<string, string>()
  const byName: Record<string, Json> = {}
  return {
    byName,
    /** Returns a reference to the component, which is added under the first of the names that is free. */
    refer(component: Json, [first, second]: readonly [string, string]): Json {
      const text = JSON.stringify(component)
      const numbered = Array.from({ length: 100 }, (_, index) => `${second}${index + 2}`)
      const name = names.get(text) ?? [first, second, ...numbered].find((free) => !(free in byName)) ?? ''
      names.set(text, name)
      byName[name] = component
      return { $ref: `#/components/${kind}/${name}` }
    },
  }
}

function shareResponses(operations: readonly Operation[]): Record<string, Json> {
  const components = createComponents('responses')
  for (const operation of operations)
    for (const [status, response] of Object.entries(operation.responses)) {
      const name = responseNames[status]
      const isPage = Object.keys(response['content'] ?? {}).join() === 'text/html'
      if (name === undefined) continue
      const named = isPage ? `${name}Page` : name
      operation.responses[status] = components.refer(response, [named, named])
    }
  return components.byName
}

function shareParameters(operations: readonly Operation[]): Record<string, Json> {
  const components = createComponents('parameters')
  const counts = new Map<string, number>()
  const count = (parameter: Json) => counts.get(JSON.stringify(parameter)) ?? 0
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters))
    counts.set(JSON.stringify(parameter), count(parameter) + 1)
  for (const operation of operations) {
    const tag = pascalCase(operation.tags?.at(-1) ?? '')
    const refer = (parameter: Json) => {
      const name = pascalCase(String(parameter['name']))
      return components.refer(parameter, [name, `${tag}${name}`])
    }
    if (operation.parameters !== undefined)
      operation.parameters = operation.parameters.map((one) => (count(one) > 1 ? refer(one) : one))
  }
  return components.byName
}

const pascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase()).replaceAll(/\W/g, '')

const prefix = '#/components/schemas/'

/** Replaces references to schemas, wherever they stand. */
const renamed = <T>(value: T, rename: (name: string) => string): T =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === '$ref' && typeof member === 'string' && member.startsWith(prefix)
      ? `${prefix}${rename(member.slice(prefix.length))}`
      : member,
  ) as T

/**
 * Every named schema comes as `X` for answers and as `XInput` for requests. One that nobody refers to is left out, and a
 * form that is the same as the other, or that alone is used, has the plain name.
 */
function withUsedSchemas(document: OpenApiDocument): OpenApiDocument {
  const schemas = (document.components?.['schemas'] ?? {}) as Record<string, Json>
  const twins = equalForms(schemas)
  const merged = renamed({ ...document, components: { ...document.components, schemas } }, (name) =>
    twins.has(name) ? plainName(name) : name,
  )
  const used = usedSchemas(merged)
  const rename = (name: string) => (used.has(plainName(name)) ? name : plainName(name))
  const kept = Object.entries(merged.components.schemas).filter(([name]) => used.has(name))
  const sorted = kept.map(([name, schema]) => [rename(name), schema] as const).sort(([a], [b]) => a.localeCompare(b))
  return renamed({ ...merged, components: { ...merged.components, schemas: Object.fromEntries(sorted) } }, rename)
}

const plainName = (name: string): string => name.replace(/Input$/, '')

/** The `XInput` that say the same as `X`. Two that refer to each other are the same when all they refer to is. */
function equalForms(schemas: Readonly<Record<string, Json>>): ReadonlySet<string> {
  const equal = new Set(Object.keys(schemas).filter((name) => name.endsWith('Input') && plainName(name) in schemas))
  for (;;) {
    const rename = (name: string) => (equal.has(name) ? plainName(name) : name)
    const text = (name: string) => JSON.stringify(renamed(schemas[name], rename))
    const different = [...equal].filter((name) => text(name) !== text(plainName(name)))
    if (different.length === 0) return equal
    for (const name of different) equal.delete(name)
  }
}

function usedSchemas({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const schemas = components?.['schemas'] ?? {}
  const used = new Set<string>()
  const visit = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue
      used.add(name)
      visit(schemas[name])
    }
  }
  visit([paths, components?.['parameters'], components?.['responses']])
  return used
}
