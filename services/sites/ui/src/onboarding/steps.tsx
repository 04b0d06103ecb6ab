import { IconCheck } from '@tabler/icons-react'

/** Where somebody stands on a way of a few steps. */
export function Steps({ names, present }: { names: readonly string[]; present: number }) {
  return (
    <ol className="steps" aria-label="Steps">
      {names.map((name, place) => (
        <li key={name} aria-current={place === present ? 'step' : undefined} data-done={place < present || undefined}>
          <span className="step-mark" aria-hidden>
            {place < present ? <IconCheck size={14} /> : place + 1}
          </span>
          {name}
        </li>
      ))}
    </ol>
  )
}
