import { settingKind } from '@hearth/runtime'
import { z } from 'zod'

/** Location of the artifacts. */
export type ArtifactLocation =
  /** `undefined` means the folder `artifacts` in the data directory. */
  | { readonly kind: 'directory'; readonly path: string | undefined }
  | {
      readonly kind: 's3'
      readonly bucket: string
      /** Before every key, without slashes at its ends; may be empty. */
      readonly prefix: string
      /** `undefined` means Amazon's own. */
      readonly endpoint: string | undefined
      readonly region: string
      /** True if the bucket is in the path and not in the host name. */
      readonly isPathStyle: boolean
    }

/**
 * Reads a directory, or `s3://bucket[/prefix]?endpoint=http://…&region=…&path_style=true`. With an endpoint the bucket stands
 * in the path unless `path_style=false`. The keys are never part of it. Throws an
 * `Error` that says which part is wrong and repeats nothing of it.
 */
export function parseArtifactLocation(text: string): ArtifactLocation {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    if (text.trim() === '' || text.includes('\0')) throw new Error('must name a directory')
    return { kind: 'directory', path: text }
  }
  if (scheme !== 's3') throw new Error('must be a directory or begin with s3://')
  return parseBucket(text)
}

const bucketRule = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const prefixRule = /^[\w.-]+(\/[\w.-]+)*$/

function parseBucket(text: string): ArtifactLocation {
  if (!URL.canParse(text)) throw new Error('is not a well-formed s3:// address')
  const { host, username, password, pathname, search, hash } = new URL(text)
  if (username + password !== '') {
    throw new Error('holds keys; they belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  }
  if (!bucketRule.test(host)) throw new Error('the bucket has 3 to 63 of a-z, 0-9, . and -')
  const prefix = pathname.replaceAll(/^\/+|\/+$/g, '')
  const isPrefixGood = prefix === '' || (prefixRule.test(prefix) && !/(^|\/)\.\.?(\/|$)/.test(prefix))
  if (!isPrefixGood) throw new Error('the prefix has letters, digits, _, . and - between its slashes')
  if (hash !== '') throw new Error('has a # part')
  return { kind: 's3', bucket: host, prefix, ...parseOptions(new URLSearchParams(search)) }
}

function parseOptions(given: URLSearchParams) {
  const names = [...given.keys()]
  const unknown = names.some((name) => !['endpoint', 'region', 'path_style'].includes(name))
  if (unknown) throw new Error('has an option other than endpoint, region and path_style')
  if (new Set(names).size !== names.length) throw new Error('has an option twice')
  const endpoint = given.get('endpoint') ?? undefined
  const region = given.get('region') ?? 'us-east-1'
  const pathStyle = given.get('path_style') ?? String(endpoint !== undefined)
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    throw new Error('endpoint must be http:// or https:// with a host and nothing else')
  }
  if (!/^[a-z0-9-]{1,64}$/.test(region)) throw new Error('region has a-z, 0-9 and -')
  if (pathStyle !== 'true' && pathStyle !== 'false') throw new Error('path_style must be true or false')
  return { endpoint, region, isPathStyle: pathStyle === 'true' }
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === '' && pathname === '/'
}

/** Reads a setting with `parse`, whose error is the issue. */
const parsedText = <Location>(parse: (text: string) => Location) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return parse(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    })
    .meta(settingKind('own form'))

/** The setting ARTIFACTS; without it the folder `artifacts` in the data directory. */
export const artifactsSetting = parsedText(parseArtifactLocation).default({ kind: 'directory', path: undefined })

/** The setting BACKUP_S3: object storage that backups are copied to. */
export const backupStorageSetting = parsedText((text) => {
  const location = parseArtifactLocation(text)
  if (location.kind !== 's3') throw new Error('must begin with s3://')
  return location
}).optional()
