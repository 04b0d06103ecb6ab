import { Validator } from '@seriousme/openapi-schema-validator'
import { resolveReference, type Reference } from './operations.ts'

interface Operation {
  readonly name: string
  readonly path: string
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Record<string, unknown>[]
  readonly parameters?: readonly ({ readonly name: string; readonly in: string } | Reference)[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, (Content & { readonly description?: string }) | Reference>>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Readonly<Record<string, unknown>> }>>
}

interface Document {
  readonly tags?: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'name' | 'path'>>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Lists the errors of an OpenAPI document by the schema of OpenAPI 3.1 and by common lint rules; empty for a sound one. */
export async function openApiProblems(document: Record<string, unknown>): Promise<unknown[]> {
  const result = await new Validator().validate(structuredClone(document))
  return [...(result.valid ? [] : [result.errors]), ...lintFaults(document as unknown as Document)]
}

function lintFaults(document: Document): string[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => Object.assign({ path, name: `${method} ${path}` }, one)),
  )
  return [
    ...componentFaults(document),
    ...repeated(operations.map(({ operationId = '' }) => operationId)).map((id) => `operation id ${id} stands twice`),
    ...repeated(operations.map(({ name }) => name.replaceAll(/\{\w+\}/g, '{}'))).map((name) => `${name} is ambiguous`),
    ...operations.flatMap((operation) =>
      operationFaults(operation, document).map((fault) => `${operation.name}: ${fault}`),
    ),
  ]
}

const repeated = (texts: readonly string[]): string[] => texts.filter((text, index) => texts.indexOf(text) !== index)

/** References to nothing, components that nobody refers to, names that are none, and lists that repeat themselves. */
function componentFaults(document: Document): string[] {
  const components = Object.entries(document.components ?? {})
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, members]) => Object.entries(members).map(([name, one]) => [`#/components/${kind}/${name}`, one]))
  const places = new Map(components as [string, unknown][])
  const references = new Set(
    [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, place = '']) => place),
  )
  const enums = [...JSON.stringify(document).matchAll(/"enum":(\[[^\]]*\])/g)].map(([, list = '[]']) => list)
  return [
    ...[...references].filter((place) => !places.has(place)).map((place) => `${place} is not there`),
    ...[...places.keys()].filter((place) => !references.has(place)).map((place) => `${place} is not used`),
    ...[...places.keys()].filter((place) => !/\/[A-Z]\w*$/.test(place)).map((place) => `${place} is no name`),
    ...enums
      .filter((list) => repeated((JSON.parse(list) as unknown[]).map(String)).length > 0)
      .map((list) => `${list} repeats itself`),
  ]
}

function operationFaults(operation: Operation, document: Document): string[] {
  const { path, operationId = '', summary = '', tags = [], security = [], responses } = operation
  const statuses = Object.keys(responses)
  const inPath = (operation.parameters ?? [])
    .map((one) => resolveReference(one, document))
    .filter((one) => one.in === 'path')
    .map(({ name }) => name)
  const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const tagNames = new Set(document.tags?.map(({ name }) => name))
  const schemes = document.components?.['securitySchemes'] ?? {}
  const rules: [boolean, string][] = [
    [/^[A-Za-z][A-Za-z0-9]*$/.test(operationId), 'has no usable operation id'],
    [summary !== '', 'has no summary'],
    [path === '/' || !/\/$|\?/.test(path), 'has a path with a slash or a query at its end'],
    [tags.length > 0 && tags.every((tag) => tagNames.has(tag)), 'has no tag, or one that is not described'],
    [
      security.flatMap((way) => Object.keys(way)).every((scheme) => scheme in schemes),
      'has an unknown security scheme',
    ],
    [inPath.toSorted().join() === wanted.toSorted().join(), `has path parameters ${inPath.join()}`],
    [statuses.some((status) => /^[23]/.test(status)), 'has no good answer'],
    [statuses.some((status) => status.startsWith('4')), 'has no answer 4xx'],
    [hasDescriptions(operation, document), 'has an answer without description'],
    [bodiesOf(operation, document).every((schema) => schema['properties'] === undefined), 'has a body without a name'],
  ]
  return rules.flatMap(([holds, fault]) => (holds ? [] : [fault]))
}

const hasDescriptions = ({ responses }: Operation, document: Document): boolean =>
  Object.values(responses).every((one) => (resolveReference(one, document).description ?? '') !== '')

/** Schemas of everything that is sent and answered; of lists those of their items. */
function bodiesOf({ requestBody = {}, responses }: Operation, document: Document): Readonly<Record<string, unknown>>[] {
  const contents = [requestBody, ...Object.values(responses).map((one) => resolveReference(one, document))]
  const schemas = contents.flatMap(({ content = {} }) => Object.values(content).map(({ schema = {} }) => schema))
  return schemas.map((schema) => (schema['items'] ?? schema) as Readonly<Record<string, unknown>>)
}
