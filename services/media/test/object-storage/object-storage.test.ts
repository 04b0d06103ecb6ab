import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import {
  AbortMultipartUploadCommand,
  ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  type ListObjectsV2CommandOutput,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { readChunked } from './chunked-body.ts'
import { openObjectFiles } from './object-files.ts'
import { createChunkVerifier, type SignedRequest } from './signature.ts'
import { storageFixture } from './storage-fixture.ts'
import { StorageError } from './storage-error.ts'

async function clientBench(t: TestContext, config: S3ClientConfig = {}) {
  const bench = await storageFixture(t)
  const { id: accessKeyId, secret: secretAccessKey } = bench.storage.keys
  const make = (more: S3ClientConfig = {}) => {
    const client = new S3Client({
      region: 'eu-central-1',
      endpoint: bench.storage.url,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      maxAttempts: 1,
      ...config,
      ...more,
    })
    t.after(() => client.destroy())
    return client
  }
  return { ...bench, client: make(), make }
}

const Bucket = 'media'

async function textAt(client: S3Client, Key: string): Promise<string | undefined> {
  return await (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()
}

describe('uploads are verified', () => {
  for (const algorithm of ['none', 'CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const) {
    for (const form of ['buffer', 'stream'] as const) {
      test(`a ${form} with checksum ${algorithm}`, async (t) => {
        const { client, folder, storage } = await clientBench(t, { requestChecksumCalculation: 'WHEN_REQUIRED' })
        const content = randomBytes(300_000)
        const file = join(folder, 'file')
        await writeFile(file, content)
        const Body = form === 'buffer' ? content : createReadStream(file)
        const checksum = algorithm === 'none' ? {} : { ChecksumAlgorithm: ChecksumAlgorithm[algorithm] }
        // Without a checksum a stream is sent unsigned, which needs its length.
        await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body, ContentLength: content.length, ...checksum }))
        const { headers } = storage.calls.at(-1)!
        const payload = String(headers['x-amz-content-sha256'])
        if (form === 'stream' && algorithm !== 'none') assert.equal(payload, 'STREAMING-UNSIGNED-PAYLOAD-TRAILER')
        else assert.match(payload, /^([0-9a-f]{64}|UNSIGNED-PAYLOAD)$/)
        const got = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }))
        assert.ok(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(content))
      })
    }
  }

  test('the chunk signatures follow the example in the vendor’s documentation', () => {
    const signed: SignedRequest = {
      payload: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
      signingKey: Buffer.from('dbb893acc010964918f1fd433add87c70e8b0db6be30c1fbeafefa5ec6ba8378', 'hex'),
      scope: '20130524/us-east-1/s3/aws4_request',
      date: '20130524T000000Z',
    }
    const verifier = createChunkVerifier(signed)
    verifier.chunk(Buffer.alloc(65_536, 'a'), 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648')
    verifier.chunk(Buffer.alloc(1024, 'a'), '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497')
    assert.throws(() => verifier.chunk(Buffer.from('x'), '0'.repeat(64)), StorageError)
    verifier.chunk(Buffer.alloc(0), 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9')
  })

  test('signed chunks are accepted over the network in any split', async () => {
    const signed: SignedRequest = {
      payload: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
      signingKey: Buffer.from('dbb893acc010964918f1fd433add87c70e8b0db6be30c1fbeafefa5ec6ba8378', 'hex'),
      scope: '20130524/us-east-1/s3/aws4_request',
      date: '20130524T000000Z',
    }
    const heads = [
      '10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n',
      '\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n',
      '\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n',
    ] as const
    const wire = Buffer.from(`${heads[0]}${'a'.repeat(65_536)}${heads[1]}${'a'.repeat(1024)}${heads[2]}`)
    const decode = async (bytes: Buffer, piece: number) => {
      const pieces = (async function* cut() {
        for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
      })()
      return Buffer.concat(await Array.fromAsync(readChunked(pieces, signed).content))
    }
    for (const piece of [wire.length, 1000, 7]) assert.equal((await decode(wire, piece)).length, 66_560)
    const changed = Buffer.from(wire)
    changed[500] = 98
    await assert.rejects(decode(changed, 1000), { code: 'SignatureDoesNotMatch' })
    await assert.rejects(decode(wire.subarray(0, 66_000), 1000), { code: 'IncompleteBody' })
  })

  test('the sender’s signature is checked', async (t) => {
    const { make, storage } = await clientBench(t)
    const { id: accessKeyId, secret } = storage.keys
    const put = (client: S3Client) => client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
    const wrong = make({ credentials: { accessKeyId, secretAccessKey: `${secret}x` } })
    await assert.rejects(put(wrong), { name: 'SignatureDoesNotMatch' })
    const unknown = make({ credentials: { accessKeyId: 'AKIANOBODY', secretAccessKey: secret } })
    await assert.rejects(put(unknown), { name: 'InvalidAccessKeyId' })
    await assert.rejects(put(make({ systemClockOffset: 20 * 60_000, maxAttempts: 1 })), {
      name: 'RequestTimeTooSkewed',
    })
    assert.equal((await fetch(`${storage.url}/media/k`)).status, 403)
    assert.deepEqual(storage.files.keys(Bucket), [])
  })

  test('changes in transit are detected', async (t) => {
    const { client, storage } = await clientBench(t)
    await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'good' }))
    const { headers } = storage.calls.at(-1)!
    const replay = async (change: { path?: string; body?: string; headers?: Record<string, string> }) =>
      await new Promise<string>((resolve, reject) => {
        const again = request(
          `${storage.url}${change.path ?? '/media/k?x-id=PutObject'}`,
          { method: 'PUT', headers: { ...headers, ...change.headers } },
          (response) => {
            response.setEncoding('utf8')
            let text = String(response.statusCode)
            response.on('data', (chunk: string) => (text += chunk))
            response.on('end', () => resolve(text))
          },
        )
        again.on('error', reject)
        again.end(change.body ?? 'good')
      })
    assert.match(await replay({}), /^200/)
    assert.match(await replay({ body: 'evil' }), /XAmzContentSHA256Mismatch|BadDigest/)
    assert.match(await replay({ path: '/media/other?x-id=PutObject' }), /SignatureDoesNotMatch/)
    assert.match(await replay({ path: '/media/k?x-id=PutObject&acl=' }), /SignatureDoesNotMatch/)
    assert.match(await replay({ headers: { 'x-amz-acl': 'public-read' } }), /AccessDenied/)
    assert.equal(await textAt(client, 'k'), 'good')
  })

  test('bulk deletion requires a checksum', async (t) => {
    const { client, storage } = await clientBench(t)
    for (const Key of ['a', 'b & <c>', 'd']) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
    const Delete = { Objects: [{ Key: 'a' }, { Key: 'b & <c>' }, { Key: 'none' }] }
    const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }))
    assert.deepEqual(
      Deleted.map(({ Key }) => Key),
      ['a', 'b & <c>', 'none'],
    )
    assert.deepEqual(storage.files.keys(Bucket), ['d'])
  })
})

test('listings: pages, prefixes, delimiters and odd keys', async (t) => {
  const { client, storage } = await clientBench(t)
  const keys = ['a/1', 'a/2', 'a/b/3', 'a b+c', 'ä&<x>', 'z']
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }))
  storage.pageSize = 2
  const found: string[] = []
  let ContinuationToken: string | undefined
  do {
    const page: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({ Bucket, EncodingType: 'url', ...(ContinuationToken && { ContinuationToken }) }),
    )
    found.push(...(page.Contents ?? []).map(({ Key }) => decodeURIComponent(Key ?? '')))
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  assert.deepEqual(found.sort(), keys.sort())
  storage.pageSize = 1000
  const folders = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'a/', Delimiter: '/' }))
  assert.deepEqual(
    [folders.Contents?.map(({ Key }) => Key), folders.CommonPrefixes?.map(({ Prefix }) => Prefix)],
    [['a/1', 'a/2'], ['a/b/']],
  )
  assert.equal(await textAt(client, 'ä&<x>'), 'ä&<x>')
})

test('errors use the codes of S3', async (t) => {
  const { client } = await clientBench(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '0123456789' }))
  const get = (input: object) => client.send(new GetObjectCommand({ Bucket, Key: 'k', ...input }))
  await assert.rejects(get({ Key: 'none' }), { name: 'NoSuchKey' })
  await assert.rejects(get({ Bucket: 'nothing' }), { name: 'NoSuchBucket' })
  await assert.rejects(get({ Range: 'bytes=10-' }), { name: 'InvalidRange' })
  await assert.rejects(get({ IfMatch: '"other"' }), { name: 'PreconditionFailed' })
  await assert.rejects(client.send(new HeadObjectCommand({ Bucket, Key: 'none' })), { name: 'NotFound' })
  await assert.rejects(client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', IfNoneMatch: '*' })), {
    name: 'PreconditionFailed',
  })
  await client.send(new HeadBucketCommand({ Bucket }))
  assert.equal(await (await get({ Range: 'bytes=-3' })).Body?.transformToString(), '789')
  assert.equal((await get({ Range: 'bytes=2-4' })).ContentRange, 'bytes 2-4/10')
})

test('multipart uploads: order, sizes, tags, abort; nothing is visible before completion', async (t) => {
  const { client, storage } = await clientBench(t)
  const Key = 'large'
  const begin = async () => (await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId!
  const part = async (UploadId: string, PartNumber: number, Body: Buffer) => {
    const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
    return { ETag, PartNumber }
  }
  const complete = (UploadId: string, Parts: { ETag: string | undefined; PartNumber: number }[]) =>
    client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  const five = Buffer.alloc(5 * 1024 * 1024, 1)
  const UploadId = await begin()
  const [second, first] = [await part(UploadId, 2, Buffer.from('end')), await part(UploadId, 1, five)]
  assert.deepEqual(storage.files.keys(Bucket), [])
  await assert.rejects(complete(UploadId, [second, first]), { name: 'InvalidPartOrder' })
  await assert.rejects(complete(UploadId, [{ ...first, ETag: '"0"' }]), { name: 'InvalidPart' })
  const { ETag } = await complete(UploadId, [first, second])
  assert.match(ETag ?? '', /-2"$/)
  assert.equal(storage.files.get(Bucket, Key).size, five.length + 3)
  const small = await begin()
  const tooSmall = [await part(small, 1, Buffer.from('a')), await part(small, 2, Buffer.from('b'))]
  await assert.rejects(complete(small, tooSmall), { name: 'EntityTooSmall' })
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  assert.deepEqual(
    Uploads.map((upload) => upload.UploadId),
    [small],
  )
  await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: small }))
  await assert.rejects(complete(small, tooSmall), { name: 'NoSuchUpload' })
})

test('stored objects survive a restart', async (t) => {
  const { client, folder } = await clientBench(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'one' }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'two!' }))
  const files = await openObjectFiles(join(folder, 'storage'))
  assert.deepEqual([files.keys(Bucket), files.get(Bucket, 'k').size], [['k'], 4])
})
