import type { FastifyRequest } from 'fastify'
import { clientAddress, serverEnd, type ForwardingTrust } from './client-address.ts'
import type { Call } from './route.ts'

/** Describes the client of a request. Host and protocol are rarely needed and costly, so they are computed on access. */
export function clientOf(
  request: FastifyRequest,
  trust: ForwardingTrust,
): Call<unknown, undefined, undefined, undefined>['client'] {
  return {
    address: clientAddress(request.raw, trust),
    userAgent: request.headers['user-agent'] ?? '',
    get host() {
      return request.hostname
    },
    get secure() {
      return request.protocol === 'https'
    },
    get origin() {
      const address = `${request.protocol}://${request.host}`
      return URL.canParse(address) ? new URL(address).origin : ''
    },
    get connectedTo() {
      return serverEnd(request.raw, trust)
    },
  }
}
