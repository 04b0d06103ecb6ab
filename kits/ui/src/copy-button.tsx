import { Button } from '@mantine/core'
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react'
import { useState } from 'react'

type Outcome = 'idle' | 'copied' | 'failed'

const looks = {
  idle: { Icon: IconCopy, text: undefined },
  copied: { Icon: IconCheck, text: 'Copied' },
  failed: { Icon: IconX, text: 'Copy failed' },
} as const

/** Copies a text, or what `text` returns when it is asked; says in its own label how that ended. */
export function CopyButton({
  text,
  children,
  variant = 'default',
}: {
  text: string | (() => Promise<string>)
  children: string
  variant?: string
}) {
  const [outcome, setOutcome] = useState<Outcome>('idle')
  const copy = async () => {
    try {
      await writeClipboard(typeof text === 'string' ? text : await text())
      setOutcome('copied')
    } catch {
      setOutcome('failed')
    }
    setTimeout(() => setOutcome('idle'), 2500)
  }
  const { Icon, text: said } = looks[outcome]
  return (
    <Button variant={variant} leftSection={<Icon size={16} aria-hidden />} onClick={() => void copy()}>
      <span aria-live="polite">{said ?? children}</span>
    </Button>
  )
}

/** The clipboard API exists on secure pages only; on plain HTTP in the home network a hidden selection does the work. */
async function writeClipboard(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body
  host.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (!copied) throw new Error('The browser refused to copy')
}
