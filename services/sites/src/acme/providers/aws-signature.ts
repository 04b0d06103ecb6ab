import { createHash, createHmac } from 'node:crypto'

/** Keys of an AWS user. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A request to sign. */
export interface AwsRequest {
  readonly method: string
  readonly url: URL
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly region: string
  readonly service: string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Signs a request (Signature Version 4); returns the headers to send with it. */
export function signAws({ accessKeyId, secretAccessKey }: AwsKeys, request: AwsRequest): Record<string, string> {
  const { method, url, body, now, region, service } = request
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')
  const head = `host:${url.host}\nx-amz-date:${time}\n`
  const canonical = [method, url.pathname, query, head, 'host;x-amz-date', sha256(body)].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), service), 'aws4_request')
  const signature = hmac(key, text).toString('hex')
  const credential = `Credential=${accessKeyId}/${scope}`
  return {
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  }
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
