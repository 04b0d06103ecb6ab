import { escapeMarkup as text } from './escape-markup.ts'

/** One file of the printed description of an API. */
export interface PrintedDocs {
  readonly html: string
  readonly css: string
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> }
  readonly responses?: Readonly<Record<string, Response | Reference>>
}

interface Reference {
  readonly $ref: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, { schema?: Schema }>>
}

interface Components {
  readonly schemas?: Readonly<Record<string, Schema>>
  readonly parameters?: Readonly<Record<string, Parameter>>
  readonly responses?: Readonly<Record<string, Response>>
}

interface Document {
  readonly info?: { readonly title?: string; readonly version?: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: Components
}

/** An OpenAPI document as one page to read or print: without scripts and external files. */
export function printDocs(document: object, stylePath: string): PrintedDocs {
  const { info = {}, tags = [], paths = {}, components = {} } = document as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: withoutReferences(operation, components),
    })),
  )
  const sections = tags.map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags?.[0] === name)
    return own.length === 0
      ? ''
      : `<h2 id="${anchor(name)}">${text(name)}</h2><p>${text(description)}</p>${own.map(printOperation).join('')}`
  })
  const links = tags.map(({ name }) => `<a href="#${anchor(name)}">${text(name)}</a>`)
  const schemas = Object.entries(components.schemas ?? {}).map(
    ([name, schema]) => `<h3 id="schema-${anchor(name)}">${text(name)}</h3>${printSchema(schema)}`,
  )
  const title = `${info.title ?? 'API'} ${info.version ?? ''}`
  return {
    css: style,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${text(title)}</title><link rel="stylesheet" href="${text(stylePath)}"></head><body><main><h1>${text(title)}</h1><p>${text(info.description ?? '')}</p><nav>${links.join(' ')} <a href="#shapes">Shapes</a></nav>${sections.join('')}<h2 id="shapes">Shapes</h2>${schemas.join('')}</main></body></html>`,
  }
}

type PlainOperation = Omit<Operation, 'parameters' | 'responses'> & {
  readonly parameters: readonly Parameter[]
  readonly responses: readonly (readonly [status: string, response: Response])[]
}

/** An operation with the shared parameters and responses it refers to. */
function withoutReferences(operation: Operation, { parameters = {}, responses = {} }: Components): PlainOperation {
  const nameIn = (reference: Reference) => reference.$ref.slice(reference.$ref.lastIndexOf('/') + 1)
  return {
    ...operation,
    parameters: (operation.parameters ?? []).flatMap((one) => ('$ref' in one ? (parameters[nameIn(one)] ?? []) : one)),
    responses: Object.entries(operation.responses ?? {}).map(
      ([status, one]) => [status, '$ref' in one ? (responses[nameIn(one)] ?? {}) : one] as const,
    ),
  }
}

function printOperation({ path, method, operation }: { path: string; method: string; operation: PlainOperation }) {
  const parameters = operation.parameters.map(
    (one) =>
      `<tr><td><code>${text(one.name)}</code></td><td>${text(one.in)}${one.required === true ? ', required' : ''}</td><td>${nameOf(one.schema)}</td></tr>`,
  )
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(
    ([media, { schema }]) =>
      `<p>Body <code>${text(media)}</code> ${nameOf(schema)}</p>${schema?.properties === undefined ? '' : printSchema(schema)}`,
  )
  const answers = operation.responses.map(([status, { description = '', content = {} }]) => {
    const [media = ''] = Object.keys(content)
    return `<tr><td>${text(status)}</td><td>${text(description)}</td><td>${nameOf(content[media]?.schema)}</td></tr>`
  })
  const isOpen = (operation.security ?? []).length === 0
  return `<section><h3><code>${method} ${text(path)}</code></h3><p>${text(operation.summary ?? '')}${isOpen ? ' (open to all)' : ''}</p><p>${text(operation.description ?? '')}</p>${parameters.length === 0 ? '' : `<table>${parameters.join('')}</table>`}${bodies.join('')}<table>${answers.join('')}</table></section>`
}

function printSchema(schema: Schema): string {
  const { properties } = schema
  if (properties === undefined) return `<p>${nameOf(schema)} ${text(schema.description ?? '')}</p>`
  const required = new Set(schema.required)
  const rows = Object.entries(properties).map(
    ([name, one]) =>
      `<tr><td><code>${text(name)}</code></td><td>${nameOf(one)}${required.has(name) ? '' : ', optional'}</td><td>${text(one.description ?? '')}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function nameOf(schema: Schema | undefined): string {
  if (schema === undefined) return ''
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return `<a href="#schema-${anchor(name)}">${text(name)}</a>`
  }
  if (schema.enum !== undefined) return schema.enum.map((one) => `<code>${text(String(one))}</code>`).join(' or ')
  if (schema.const !== undefined) return `<code>${text(JSON.stringify(schema.const))}</code>`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map(nameOf).join(' or ')
  if (schema.items !== undefined) return `list of ${nameOf(schema.items)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'anything')
  return text(schema.format === undefined ? type : `${type} (${schema.format})`)
}

const anchor = (name: string): string => name.replaceAll(/\W+/g, '-').toLowerCase()

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
nav a{margin-right:.75rem}
section{border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:.5rem 0}
h3{margin:.75rem 0 .25rem}
p{margin:.25rem 0}
table{border-collapse:collapse;margin:.5rem 0;width:100%;table-layout:fixed;overflow-wrap:anywhere}
td{border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent);padding:.25rem .75rem .25rem 0;vertical-align:top}
`
