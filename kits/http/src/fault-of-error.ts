import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { phraseOfIssue, type SchemaIssue } from './issue-phrase.ts'
import type { FastifyRequest } from 'fastify'
import type { Route } from './route.ts'
import { Fault, type FieldIssue, type RequestPart } from './faults.ts'

const parts: Record<string, RequestPart> = { body: 'body', querystring: 'query', params: 'params', headers: 'params' }

/** Fastify's own error codes that are the client's doing. */
const frameworkFaults: Record<string, () => Fault> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Fault({ kind: 'too-large' }),
  FST_REQ_FILE_TOO_LARGE: () => new Fault({ kind: 'too-large' }),
  FST_PARTS_LIMIT: () => new Fault({ kind: 'too-large' }),
  FST_FILES_LIMIT: () => new Fault({ kind: 'too-large' }),
  FST_FIELDS_LIMIT: () => new Fault({ kind: 'too-large' }),
  FST_INVALID_MULTIPART_CONTENT_TYPE: () => new Fault({ kind: 'unsupported-media-type' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Fault({ kind: 'unsupported-media-type' }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => syntaxFault('is not valid JSON'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Fault({ kind: 'malformed' }),
  FST_ERR_BAD_URL: () => new Fault({ kind: 'malformed' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Fault({ kind: 'not-found' }),
}

/**
 * The fault behind what the framework threw: validation by a schema, a body that is no JSON, a path it cannot read. Other
 * errors come back as they are.
 */
export function faultOfError(error: unknown): unknown {
  if (hasZodFastifySchemaValidationErrors(error)) return invalidRequest(error as unknown as ValidationError)
  if (error instanceof SyntaxError && 'statusCode' in error) return syntaxFault('is not valid JSON')
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const known = code === undefined ? undefined : frameworkFaults[code]
  if (known !== undefined) return known()
  // The connection closed before the body was whole; Fastify marks the socket's error as the caller's.
  if (code === 'ECONNRESET' && statusCode === 400)
    return new Fault({ kind: 'malformed', detail: 'The connection closed before the body was complete' })
  if (code?.startsWith('FST_') === true && statusCode !== undefined && statusCode < 500)
    return new Fault({ kind: 'malformed' })
  return error
}

/** The fault behind an error; for a body that does not fit its schema together with what the route's own rules say to it. */
export async function wholeError(
  { alsoInvalid }: Pick<Route['spec'], 'alsoInvalid'>,
  error: unknown,
  { params, body }: Pick<FastifyRequest, 'params' | 'body'>,
): Promise<unknown> {
  const fault = faultOfError(error)
  if (alsoInvalid === undefined || !(fault instanceof Fault)) return error
  const { reason } = fault
  if (reason.kind !== 'invalid' || reason.part !== 'body') return error
  const more = await alsoInvalid({ params, body, fields: reason.fields })
  return new Fault({ ...reason, fields: [...reason.fields, ...more] })
}

interface ValidationError {
  readonly validationContext: string
  readonly validation: readonly (SchemaIssue & { instancePath: string })[]
}

function invalidRequest(error: ValidationError): Fault {
  const fields = error.validation.flatMap((issue): FieldIssue[] => {
    const path = issue.instancePath.slice(1).replaceAll('/', '.')
    if (issue.keyword === 'unrecognized_keys') {
      return ((issue.params['keys'] as string[] | undefined) ?? []).map((key) => ({
        path: path === '' ? key : `${path}.${key}`,
        code: 'unknown',
        message: 'is not known here',
      }))
    }
    return [{ path, code: issue.keyword, message: phraseOfIssue(issue) }]
  })
  return new Fault({ kind: 'invalid', part: parts[error.validationContext] ?? 'params', fields })
}

function syntaxFault(message: string): Fault {
  return new Fault({ kind: 'invalid', part: 'syntax', fields: [{ path: '', code: 'syntax', message }] })
}
