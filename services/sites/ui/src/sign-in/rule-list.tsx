import { IconCheck, IconPoint } from '@tabler/icons-react'
import { passwordRules } from './password-rules.ts'

/** The rules for a new password, each with a mark when it is kept. */
export function RuleList({ password, username, id }: { password: string; username: string; id?: string }) {
  return (
    <ul className="rule-list" id={id} aria-label="Rules for the password">
      {passwordRules(password, username).map(({ text, isKept }) => (
        <li key={text} data-kept={isKept || undefined}>
          {isKept ? <IconCheck size={14} aria-label="kept:" /> : <IconPoint size={14} aria-hidden />}
          {text}
        </li>
      ))}
      <li>
        <IconPoint size={14} aria-hidden />
        Not a common password
      </li>
    </ul>
  )
}
