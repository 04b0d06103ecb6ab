import { useEffect, useEffectEvent } from 'react'
import { addressesIn } from './address-text.ts'

/** Hands over text with an address that is pasted, or dropped, anywhere on the page but into a field of its own. */
export function usePasteAnywhere(onText: (text: string) => void): void {
  const take = useEffectEvent((event: Event, text: string) => {
    if (isTaken(event.target) || addressesIn(text).length === 0) return
    event.preventDefault()
    onText(text)
  })
  useEffect(() => {
    const paste = (event: ClipboardEvent) => take(event, event.clipboardData?.getData('text') ?? '')
    const drop = (event: DragEvent) => take(event, event.dataTransfer?.getData('text') ?? '')
    const over = (event: DragEvent) => {
      if (!isTaken(event.target) && event.dataTransfer?.types.includes('text/plain') === true) event.preventDefault()
    }
    document.addEventListener('paste', paste)
    document.addEventListener('drop', drop)
    document.addEventListener('dragover', over)
    return () => {
      document.removeEventListener('paste', paste)
      document.removeEventListener('drop', drop)
      document.removeEventListener('dragover', over)
    }
  }, [])
}

/** A field takes its text itself, and nothing reaches past a dialog. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true
  return target instanceof Element && target.closest('input, textarea, [contenteditable="true"]') !== null
}
