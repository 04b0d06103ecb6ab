import * as fc from 'fast-check'
import { arbitraryOf } from './arbitrary.ts'

/** One operation of an OpenAPI document, as tests that enumerate them need it. */
export interface Operation {
  readonly method: string
  /** With `{names}` as in the document. */
  readonly path: string
  /** The document's `x-access`: who may call it. */
  readonly access: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  /** Schema of the JSON body, or undefined for none. */
  readonly body: object | undefined
}

interface Described {
  readonly parameters?: readonly (Operation['parameters'][number] | Reference)[]
  readonly 'x-access'?: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
}

/** A reference to a part of the document. */
export interface Reference {
  readonly $ref: string
}

/** Returns a part of a document, or the part that the reference in its place is to. */
export function resolveReference<T extends object>(place: T | Reference, document: object): T {
  if (!('$ref' in place)) return place
  let found: unknown = document
  for (const part of place.$ref.slice(2).split('/')) found = (found as Record<string, unknown>)[part]
  return found as T
}

/** Every operation a document lists: a route that is added is tested without anybody adding it here. */
export function operationsOf(document: object): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      access: operation['x-access'] ?? '',
      parameters: (operation.parameters ?? []).map((parameter) => resolveReference(parameter, document)),
      body: operation.requestBody?.content['application/json']?.schema,
    })),
  )
}

/**
 * Requests for one operation: mostly what it asks for, now and then wild; addresses of things that exist and of things that
 * do not.
 *
 * @param ids what may stand in a path and exists
 */
export function requestsFor(
  operation: Operation,
  document: object,
  ids: readonly string[],
): fc.Arbitrary<{ url: string; body: unknown }> {
  const text = (schema: object) =>
    arbitraryOf(schema, document).map((made) =>
      encodeURIComponent(typeof made === 'string' ? made : JSON.stringify(made)),
    )
  const parametersIn = (place: string, value: (schema: object) => fc.Arbitrary<string>) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema }) => [name, value(schema)]),
    )
  return fc
    .record({
      path: fc.record(parametersIn('path', (schema) => fc.oneof(fc.constantFrom(...ids), text(schema)))),
      query: fc.record(parametersIn('query', text), { requiredKeys: [] }),
      body: operation.body === undefined ? fc.constant(undefined) : arbitraryOf(operation.body, document),
    })
    .map(({ path, query, body }) => {
      const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? 'x')
      const search = Object.entries(query).map(([name, value]) => `${name}=${value}`)
      return { url: search.length > 0 ? `${filled}?${search.join('&')}` : filled, body }
    })
}
