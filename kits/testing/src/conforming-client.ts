import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { resolveReference, type Reference } from './operations.ts'

/** An answer as the check needs it. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  /** Parsed when it is JSON. */
  readonly body: unknown
}

interface Response {
  readonly content?: Record<string, { schema?: object }>
}

interface Described {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response | Reference> }>>
  readonly components?: object
}

/** Says whether an answer is what an OpenAPI document promises. */
export interface Conformance {
  /** Throws with the operation and the difference. A path the document does not have is only held to be an error. */
  check(method: string, url: string, answer: Answer): void
  /** Operations that were answered, as `GET /api/peers 200`, to see what a test covered. */
  readonly seen: ReadonlySet<string>
}

/** Reads an OpenAPI 3.1 document once and checks answers against it. */
export function createConformance(document: object): Conformance {
  const described = document as Described
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  // Networks, which the common formats do not name; what they are is the service's matter.
  for (const format of ['cidrv4', 'cidrv6']) ajv.addFormat(format, true)
  ajv.addSchema({ $id: 'document', ...described })
  const validators = new Map<string, ValidateFunction>()
  const seen = new Set<string>()

  function validatorOf(pointer: string): ValidateFunction {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` })
    validators.set(pointer, known)
    return known
  }

  return {
    seen,
    check(method, url, answer) {
      const path = findPath(described, method, url)
      if (path === undefined) {
        if (answer.status < 400) throw new Error(`${method} ${url} is not described and answered ${answer.status}`)
        return
      }
      const name = `${method.toUpperCase()} ${path} ${answer.status}`
      const responses = described.paths[path]?.[method.toLowerCase()]?.responses ?? {}
      const key = [String(answer.status), `${Math.floor(answer.status / 100)}XX`, 'default'].find((k) => k in responses)
      if (key === undefined) throw new Error(`${name} is not described`)
      seen.add(name)
      const response = responses[key] ?? {}
      const { content = {} } = resolveReference(response, described)
      const media = answer.contentType.split(';')[0]?.trim().toLowerCase() ?? ''
      // An answer without a body: where none is described, and to HEAD.
      if (media === '' && (Object.keys(content).length === 0 || method.toUpperCase() === 'HEAD')) return
      const ranges = [`${media.split('/')[0]}/*`, '*/*']
      if (content[media] === undefined && ranges.some((range) => range in content)) return
      if (content[media] === undefined)
        throw new Error(`${name} came as ${media || 'nothing'}, described are: ${Object.keys(content).join(', ')}`)
      if (!isJson(media) || content[media].schema === undefined) return
      const place = ['paths', path, method.toLowerCase(), 'responses', key].map(escape).join('/')
      const answerPlace = '$ref' in response ? response.$ref.slice(1) : `/${place}`
      const validate = validatorOf([answerPlace, ...['content', media, 'schema'].map(escape)].join('/'))
      if (!validate(answer.body)) throw new Error(`${name} is not as described: ${ajv.errorsText(validate.errors)}`)
    },
  }
}

function isJson(media: string): boolean {
  return media === 'application/json' || media.endsWith('+json')
}

/** The described path that a URL belongs to; one without parameters goes first. */
function findPath({ paths }: Described, method: string, url: string): string | undefined {
  const asked = new URL(url, 'http://service').pathname.split('/')
  const fits = (path: string) => {
    const parts = path.split('/')
    return (
      parts.length === asked.length &&
      parts.every((part, index) => part === asked[index] || (part.startsWith('{') && asked[index] !== ''))
    )
  }
  const candidates = Object.keys(paths).filter(
    (path) => fits(path) && paths[path]?.[method.toLowerCase()] !== undefined,
  )
  const parameters = (path: string) => path.split('{').length
  return candidates.sort((a, b) => parameters(a) - parameters(b))[0]
}

function escape(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
