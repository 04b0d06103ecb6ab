import { z } from 'zod'
import type { UploadedFile } from './route.ts'

/** Body of a route that takes one file, as the field `file` of a form. */
export const FileForm = z
  .object({
    file: z
      .custom<UploadedFile>((value) => typeof value === 'object' && value !== null && 'bytes' in value, 'is missing')
      .meta({ type: 'string', format: 'binary' }),
  })
  .meta({ id: 'FileForm' })
