import { rasterSize } from './raster-size.ts'

/** Largest logo the server takes, bytes. */
const largest = 2 * 1024 * 1024

/** Makes the PNG that is sent out of a chosen file: as it is, or drawn from an SVG. Throws an `Error` that says what is wrong. */
export async function logoOf(file: File): Promise<Blob> {
  const isSvg = file.type === 'image/svg+xml' || file.name.toLowerCase().endsWith('.svg')
  if (!isSvg && file.type !== 'image/png') throw new Error('Choose a PNG or an SVG file')
  const png = isSvg ? await drawn(file) : file
  if (png.size > largest) throw new Error('The logo is larger than 2 MB')
  return png
}

/** A drawing without a size of its own is taken as a square. */
async function drawn(file: File): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([await file.text()], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = address
    await image.decode().catch(() => {
      throw new Error('The drawing cannot be read')
    })
    const size = rasterSize(image.naturalWidth || 512, image.naturalHeight || 512)
    if (size === undefined) throw new Error('The drawing is too long and thin')
    return await painted(image, size)
  } finally {
    URL.revokeObjectURL(address)
  }
}

async function painted(image: HTMLImageElement, { width, height }: { width: number; height: number }): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.getContext('2d')?.drawImage(image, 0, 0, width, height)
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (png === null) throw new Error('The browser could not draw it')
  return png
}
