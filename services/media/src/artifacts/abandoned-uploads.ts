import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3'
import { smallCall, type BucketLocation } from './s3-connection.ts'

/** Age from which an upload counts as left by a process that has died, milliseconds. */
const abandonedAfter = 24 * 3_600_000

/**
 * Ends uploads below the store's prefix that nobody will complete any more; their parts take space that no list shows. At most
 * a thousand at a time. A storage that cannot do this is left as it is.
 */
export async function endAbandonedUploads(client: S3Client, location: BucketLocation): Promise<void> {
  const Bucket = location.bucket
  const Prefix = location.prefix === '' ? '' : `${location.prefix}/`
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }), smallCall)
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Initiated === undefined || Date.now() - Initiated.getTime() < abandonedAfter) continue
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), smallCall)
    }
  } catch {
    // It costs space and nothing else.
  }
}
