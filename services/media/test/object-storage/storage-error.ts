/** An answer in the form that S3 has for errors. */
export class StorageError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Record<string, string>

  constructor(status: number, code: string, headers: Record<string, string> = {}) {
    super(code)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const noSuchKey = (): StorageError => new StorageError(404, 'NoSuchKey')
