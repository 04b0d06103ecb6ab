import { notifyDone, readApiError, unreachable } from '@hearth/ui'

/** From this long on a person is told that something is being made for them, milliseconds. */
const patience = 1200

/**
 * Has the browser save what stands at a path. The server may have to make it first, an MP3 for example; the browser's own
 * download begins when it is there. Throws an `ApiError` when it cannot be had.
 */
export async function download(path: string): Promise<void> {
  const notice = setTimeout(() => notifyDone('The file is being prepared; the download begins by itself.'), patience)
  try {
    const response = await fetch(path, { headers: { range: 'bytes=0-0' } }).catch(() => {
      throw unreachable()
    })
    if (!response.ok) throw await readApiError(response)
    await response.body?.cancel()
  } finally {
    clearTimeout(notice)
  }
  const link = document.createElement('a')
  link.href = path
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
