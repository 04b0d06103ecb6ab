import type { ObjectFiles } from './object-files.ts'
import { StorageError } from './storage-error.ts'
import { element, textElement, xmlDocument } from './xml.ts'

/** The request for a list, and the most entries a page has. */
export interface Listing {
  readonly bucket: string
  readonly query: URLSearchParams
  readonly pageSize: number
}

type Entry = { readonly key: string; readonly isPrefix: boolean }

/** The answer of ListObjectsV2. */
export function listObjects(files: ObjectFiles, { bucket, query, pageSize }: Listing): string {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const token = query.get('continuation-token')
  const wanted = Number(query.get('max-keys') ?? 1000)
  if (!Number.isInteger(wanted) || wanted < 0) throw new StorageError(400, 'InvalidArgument')
  const after = token === null ? (query.get('start-after') ?? '') : decodeToken(token)
  const entries = entriesOf(files.keys(bucket), prefix, delimiter).filter(({ key }) => key > after)
  const page = entries.slice(0, Math.min(wanted, pageSize))
  const isTruncated = page.length < entries.length && page.length > 0
  const encode = (text: string) => (query.get('encoding-type') === 'url' ? encodeURIComponent(text) : text)
  const next = Buffer.from(page.at(-1)?.key ?? '').toString('base64url')
  const facts = [
    textElement('Name', bucket),
    textElement('Prefix', encode(prefix)),
    textElement('KeyCount', page.length),
    textElement('MaxKeys', wanted),
    textElement('IsTruncated', isTruncated),
    isTruncated ? textElement('NextContinuationToken', next) : '',
  ]
  const contents = page.map(({ key, isPrefix }) => {
    if (isPrefix) return element('CommonPrefixes', textElement('Prefix', encode(key)))
    const { etag, size, modifiedAt } = files.get(bucket, key)
    const date = textElement('LastModified', new Date(modifiedAt).toISOString())
    const rest = textElement('ETag', etag) + textElement('Size', size) + textElement('StorageClass', 'STANDARD')
    return element('Contents', textElement('Key', encode(key)) + date + rest)
  })
  return xmlDocument('ListBucketResult', [...facts, ...contents].join(''))
}

function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString()
  if (key === '') throw new StorageError(400, 'InvalidArgument')
  return key
}

/** Keys, those with the delimiter behind the prefix as what they have in common. */
function entriesOf(keys: readonly string[], prefix: string, delimiter: string): Entry[] {
  const entries = new Map<string, Entry>()
  for (const key of keys.filter((key) => key.startsWith(prefix))) {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const name = at < 0 ? key : key.slice(0, at + delimiter.length)
    entries.set(name, { key: name, isPrefix: at >= 0 })
  }
  return [...entries.values()]
}
