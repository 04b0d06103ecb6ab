import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import { portalHeader, serviceHeader } from './known-services.ts'

/** Head of another service's answer. */
export interface HealthAnswer {
  readonly status: number
  /** Name of the service that answered; undefined when it is none of Hearth's. */
  readonly service: string | undefined
  /** Address of its portal, of the sites service. */
  readonly portal: string | undefined
}

/**
 * Reads the head of a health answer within a number of milliseconds. Follows no redirect and keeps no connection. Returns undefined
 * when nothing answers in time.
 */
export async function readHealth(address: string, timeLimit: number): Promise<HealthAnswer | undefined> {
  try {
    const response = await request(address, timeLimit)
    response.destroy()
    const service = response.headers[serviceHeader]
    const portal = response.headers[portalHeader]
    return {
      status: response.statusCode ?? 0,
      service: typeof service === 'string' ? service : undefined,
      portal: typeof portal === 'string' && isOrigin(portal) ? portal : undefined,
    }
  } catch {
    return undefined
  }
}

const isOrigin = (text: string): boolean =>
  text.startsWith('https://') && URL.canParse(text) && new URL(text).origin === text

function request(address: string, timeLimit: number): Promise<IncomingMessage> {
  const get = address.startsWith('https:') ? getHttps : getHttp
  const signal = AbortSignal.timeout(timeLimit)
  return new Promise((resolve, reject) => {
    get(address, { agent: false, signal }, (response) => {
      response.on('error', () => undefined)
      resolve(response)
    }).on('error', reject)
  })
}
