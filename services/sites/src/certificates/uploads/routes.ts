import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { conflict, invalidField, notFound } from '../../problems.ts'
import {
  CertificateReplacement,
  CertificateUpload,
  Deleted,
  UploadedCertificate,
  UploadedCertificateList,
  UploadParams,
} from '../schema.ts'
import { UploadRejected } from './read-pem.ts'
import { TooManyCertificates, type Uploads } from './uploads.ts'

const shared = { tag: 'Certificates', access: 'admin' } as const

/** Two texts of 64 KiB, each line end of which takes two characters in JSON. */
const maxBody = 200_000

/** Certificates people bring themselves. */
export function uploadRoutes(uploads: Uploads): Route[] {
  return [...readRoutes(uploads), ...changeRoutes(uploads)]
}

function readRoutes(uploads: Uploads): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/certificates',
        summary: 'Uploaded certificates',
        limit: '60/min',
        success: { status: 200, body: UploadedCertificateList },
      },
      async () => ({ certificates: await uploads.list() }),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/certificates/{id}',
        summary: 'One uploaded certificate',
        limit: '60/min',
        params: UploadParams,
        success: { status: 200, body: UploadedCertificate },
        errors: [404],
      },
      async ({ params }) => {
        const found = await uploads.find(params.id)
        if (found === undefined) throw notFound('certificate')
        return found
      },
    ),
  ]
}

function changeRoutes(uploads: Uploads): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/certificates',
        summary: 'Upload a certificate with its key, or that of an authority',
        limit: '10/min',
        body: CertificateUpload,
        maxBodyBytes: maxBody,
        success: { status: 201, body: UploadedCertificate },
        errors: [409, 413],
      },
      ({ body }) => checked(() => uploads.add(body)),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/api/certificates/{id}',
        summary: 'Put a renewed certificate in place',
        description: 'Sites that use the certificate are served with the new one.',
        limit: '10/min',
        params: UploadParams,
        body: CertificateReplacement,
        maxBodyBytes: maxBody,
        success: { status: 200, body: UploadedCertificate },
        errors: [404, 409, 413],
      },
      async ({ params, body }) => {
        const replaced = await checked(() => uploads.replace(params.id, body))
        if (replaced === undefined) throw notFound('certificate')
        return replaced
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/certificates/{id}',
        summary: 'Delete an uploaded certificate',
        limit: '10/min',
        params: UploadParams,
        success: { status: 200, body: Deleted },
        errors: [404, 409],
      },
      async ({ params }) => {
        if (!(await uploads.remove(params.id))) throw notFound('certificate')
        return { status: 'deleted' as const }
      },
    ),
  ]
}

async function checked<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof UploadRejected) throw invalidField(error.field, error.message)
    if (error instanceof TooManyCertificates) throw conflict(`No more can be kept: ${error.message}`)
    throw error
  }
}
