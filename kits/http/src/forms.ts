import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError } from './http-error.ts'
import type { Route, UploadBody, UploadedFile } from './route.ts'

/** Maximum number of fields of a form beside its file. */
const maxFields = 10

/** Maximum size of a field of a form, bytes. */
const maxFieldBytes = 65_536

/** Lets the routes of one scope take forms; an upload is read whole before the body is checked. */
export async function acceptForms(scope: FastifyInstance, takes: NonNullable<Route['spec']['takes']>): Promise<void> {
  if (takes === 'form') {
    await scope.register(formbody, { bodyLimit: maxFieldBytes })
    return
  }
  const { maxBytes: maxFileBytes } = takes.upload
  await scope.register(multipart, {
    limits: { fileSize: maxFileBytes, files: 1, fields: maxFields, fieldSize: maxFieldBytes, parts: maxFields + 1 },
  })
  scope.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await readUpload(request)
  })
}

/** Reads the form; every error of its parser comes from the caller's bytes, although most carry no code. */
async function readUpload(request: FastifyRequest): Promise<UploadBody> {
  try {
    return await readParts(request)
  } catch (error) {
    const { code } = error as { code?: string }
    if (error instanceof HttpError || code?.startsWith('FST_') === true) throw error
    throw new HttpError({ kind: 'malformed', detail: unreadable(request.headers['content-type'] ?? '') })
  }
}

function unreadable(type: string): string {
  return /;\s*boundary="?[^";]{1,70}"?\s*(?:;|$)/i.test(type)
    ? 'The multipart body ends early or does not use the boundary that Content-Type names'
    : 'Content-Type names no boundary of 1 to 70 characters for the multipart body'
}

async function readParts(request: FastifyRequest): Promise<UploadBody> {
  const body: Record<string, string | UploadedFile> = {}
  for await (const part of request.parts()) {
    if (part.type === 'field') body[part.fieldname] = String(part.value)
    else if (part.fieldname === 'file') body['file'] = { name: part.filename, bytes: await part.toBuffer() }
    else throw new HttpError({ kind: 'invalid', part: 'body', fields: [unknownFile(part.fieldname)] })
  }
  return body
}

const unknownFile = (path: string) => ({ path, code: 'unknown', message: 'is not known here; the file is called file' })
