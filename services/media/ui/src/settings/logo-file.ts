/** Maximum size of a logo, bytes. */
const maxLogoBytes = 2 * 1024 * 1024

/** Makes the PNG that is sent out of a chosen file: as it is, or drawn from an SVG. Throws an `Error` that says what is wrong. */
export async function logoOf(file: File): Promise<Blob> {
  const isSvg = file.type === 'image/svg+xml' || file.name.toLowerCase().endsWith('.svg')
  if (!isSvg && file.type !== 'image/png') throw new Error('Choose a PNG or an SVG file')
  const png = isSvg ? await drawn(file) : file
  if (png.size > maxLogoBytes) throw new Error('The logo is larger than 2 MB')
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

/** Minimum and maximum side of a logo that the server accepts, pixels. */
const [minSide, maxSide] = [32, 4096]

/** Longer side of a vector drawing as PNG: sharp on a 4K video, and small enough to send. */
const preferredSide = 1024

/**
 * The size a vector drawing is turned into pixels at: its longer side 1024, more only when the shorter one would be too short.
 * Undefined when no size fits, because the drawing is far too long and thin.
 */
export function rasterSize(width: number, height: number): { width: number; height: number } | undefined {
  if (!(width > 0) || !(height > 0)) return undefined
  const scale = Math.max(preferredSide / Math.max(width, height), minSide / Math.min(width, height))
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) }
  return Math.max(size.width, size.height) > maxSide ? undefined : size
}
