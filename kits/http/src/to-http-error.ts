import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { phraseOfIssue, type SchemaIssue } from './issue-phrase.ts'
import type { FastifyRequest } from 'fastify'
import type { Route } from './route.ts'
import { HttpError, type FieldIssue, type RequestPart } from './http-error.ts'

const parts: Record<string, RequestPart> = { body: 'body', querystring: 'query', params: 'params', headers: 'params' }

/** Fastify's own error codes that are the client's doing. */
const frameworkErrors: Record<string, () => HttpError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new HttpError({ kind: 'too-large' }),
  FST_REQ_FILE_TOO_LARGE: () => new HttpError({ kind: 'too-large' }),
  FST_PARTS_LIMIT: () => new HttpError({ kind: 'too-large' }),
  FST_FILES_LIMIT: () => new HttpError({ kind: 'too-large' }),
  FST_FIELDS_LIMIT: () => new HttpError({ kind: 'too-large' }),
  FST_INVALID_MULTIPART_CONTENT_TYPE: () => new HttpError({ kind: 'unsupported-media-type' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new HttpError({ kind: 'unsupported-media-type' }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => syntaxError('is not valid JSON'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new HttpError({ kind: 'malformed' }),
  FST_ERR_BAD_URL: () => new HttpError({ kind: 'malformed' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new HttpError({ kind: 'not-found' }),
}

/**
 * Returns the `HttpError` behind what the framework threw: validation by a schema, a body that is no JSON, a path it cannot read. Other
 * errors come back as they are.
 */
export function toHttpError(error: unknown): unknown {
  if (hasZodFastifySchemaValidationErrors(error)) return invalidRequest(error as unknown as ValidationError)
  if (error instanceof SyntaxError && 'statusCode' in error) return syntaxError('is not valid JSON')
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const known = code === undefined ? undefined : frameworkErrors[code]
  if (known !== undefined) return known()
  // The connection closed before the body was whole; Fastify marks the socket's error as the caller's.
  if (code === 'ECONNRESET' && statusCode === 400)
    return new HttpError({ kind: 'malformed', detail: 'The connection closed before the body was complete' })
  if (code?.startsWith('FST_') === true && statusCode !== undefined && statusCode < 500)
    return new HttpError({ kind: 'malformed' })
  return error
}

/** Returns the `HttpError` behind an error, for a body that does not fit its schema together with what the route's own rules say to it. */
export async function addOwnIssues(
  { findMoreIssues }: Pick<Route['spec'], 'findMoreIssues'>,
  error: unknown,
  { params, body }: Pick<FastifyRequest, 'params' | 'body'>,
): Promise<unknown> {
  const httpError = toHttpError(error)
  if (findMoreIssues === undefined || !(httpError instanceof HttpError)) return error
  const { reason } = httpError
  if (reason.kind !== 'invalid' || reason.part !== 'body') return error
  const more = await findMoreIssues({ params, body, fields: reason.fields })
  return new HttpError({ ...reason, fields: [...reason.fields, ...more] })
}

interface ValidationError {
  readonly validationContext: string
  readonly validation: readonly (SchemaIssue & { instancePath: string })[]
}

function invalidRequest(error: ValidationError): HttpError {
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
  return new HttpError({ kind: 'invalid', part: parts[error.validationContext] ?? 'params', fields })
}

function syntaxError(message: string): HttpError {
  return new HttpError({ kind: 'invalid', part: 'syntax', fields: [{ path: '', code: 'syntax', message }] })
}
