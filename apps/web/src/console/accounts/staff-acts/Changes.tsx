import type { AuditChange } from '@ingot/contracts/accounts'
import { capital, fieldWords, valueWords } from './audit-words.ts'

/** Field by field, what was and what is. Values of an erased account are gone, and only the names are left. */
export function Changes({ changes }: { readonly changes: readonly AuditChange[] }) {
  if (changes.length === 0) return <p className="text-muted">Nothing that is written down here differs.</p>
  return (
    <dl className="flex flex-col">
      {changes.map(({ field, before, after }) => (
        <div key={field} className="border-t border-line py-2 first:border-t-0">
          <dt className="text-label text-muted">{capital(fieldWords(field))}</dt>
          <dd className="flex flex-wrap items-baseline gap-x-2 break-words">
            {before === null && after === null ? (
              <span className="text-muted">Erased with the account</span>
            ) : (
              <>
                {before !== null && (
                  <del className="text-muted">
                    <span className="sr-only">was </span>
                    {valueWords(field, before)}
                  </del>
                )}
                {before !== null && after !== null && <span aria-hidden>→</span>}
                {after === null ? (
                  <span className="text-muted">none</span>
                ) : (
                  <ins className="min-w-0 font-semi no-underline">
                    <span className="sr-only">now </span>
                    {valueWords(field, after)}
                  </ins>
                )}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
