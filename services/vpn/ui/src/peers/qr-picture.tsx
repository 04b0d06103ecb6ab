import { Text } from '@mantine/core'
import { create } from 'qrcode'
import { useMemo } from 'react'

/** Light modules around a QR code, which readers need. */
const margin = 4

/** A QR code drawn in the page, so that its text goes nowhere. Says so when the text is too long for one. */
export function QrPicture({ text, label }: { text: string; label: string }) {
  const picture = useMemo(() => drawCode(text), [text])
  if (picture === undefined) return <Text size="sm">This configuration is too long for a QR code; use the file.</Text>
  return (
    <img
      className="qr-code"
      src={`data:image/svg+xml,${encodeURIComponent(picture)}`}
      alt={label}
      width={340}
      height={340}
    />
  )
}

function drawCode(text: string): string | undefined {
  try {
    const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules
    const squares = Array.from(data, (isDark, index) =>
      isDark ? `M${index % size} ${Math.floor(index / size)}h1v1h-1z` : '',
    )
    const side = size + 2 * margin
    const box = `${-margin} ${-margin} ${side} ${side}`
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" shape-rendering="crispEdges"><path fill="#000" d="${squares.join('')}"/></svg>`
  } catch {
    return undefined
  }
}
