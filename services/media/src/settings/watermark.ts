import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The picture that is laid over videos: an uploaded one, otherwise the one that comes with the service. */
export interface Watermark {
  /** Calls the work with the path of a PNG. */
  withPicture<T>(work: (picture: string) => Promise<T>): Promise<T>
  /** Where an uploaded picture is kept. */
  readonly file: string
}

const bundled = join(import.meta.dirname, '../../assets/watermark.png')

export function openWatermark(folder: string): Watermark {
  const file = join(folder, 'logo.png')
  return { file, withPicture: (work) => work(existsSync(file) ? file : bundled) }
}
