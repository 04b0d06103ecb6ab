import { Kbd, Modal } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { Fragment } from 'react'
import './keyboard.css'

/** A key and what it does. */
export type KeyHelp = readonly [key: string, does: string]

/** The keys of a page, on request. */
export function KeysHelp(props: { opened: boolean; onClose: () => void; keys: readonly KeyHelp[] }) {
  const { opened, onClose, keys } = props
  return (
    <Modal opened={opened} onClose={onClose} title="Keys of this page">
      <dl className="keys-list">
        {keys.map(([key, does]) => (
          <Fragment key={key}>
            <dt>
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  )
}

/** Action of a key; false leaves the key to the browser. */
type KeyHandlers = Readonly<Record<string, (event: KeyboardEvent) => boolean | void>>

const typing =
  'input:not([type="checkbox"]):not([type="radio"]):not([type="range"]), textarea, select, [contenteditable="true"]'
const buttons = 'a, button, summary, input, select, textarea'
const sliders = `${typing}, input, [role="slider"]`

/** Elements that need the key for themselves; the others give way to the page unless somebody types in them. */
const takers: Readonly<Record<string, string>> = {
  Enter: buttons,
  ' ': buttons,
  ArrowLeft: sliders,
  ArrowRight: sliders,
  Home: sliders,
  End: sliders,
  PageUp: sliders,
  PageDown: sliders,
}

/**
 * Single keys of a page, by `KeyboardEvent.key`. They rest while somebody types, while a dialog is open, and together with Ctrl,
 * Alt and the like.
 */
export function useKeys(handlers: KeyHandlers): void {
  useWindowEvent('keydown', (event) => {
    const handler = handlers[event.key]
    if (handler === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target instanceof Element ? event.target : undefined
    if (target?.closest(takers[event.key] ?? typing) || document.querySelector('[role="dialog"]') !== null) return
    if (handler(event) !== false) event.preventDefault()
  })
}
