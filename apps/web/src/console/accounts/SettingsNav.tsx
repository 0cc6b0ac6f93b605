import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { settingsSections } from './settings-sections.ts'

/** The sections: beside them where there is room, else one row above that scrolls sideways. */
export function SettingsNav() {
  const nav = useRef<HTMLElement>(null)
  const { hash } = useLocation()
  useEffect(() => {
    const here = hash && nav.current?.querySelector<HTMLElement>(`[href$="#${CSS.escape(hash)}"]`)
    if (here) nav.current!.scrollLeft = here.offsetLeft - nav.current!.clientWidth / 2 + here.offsetWidth / 2
  }, [hash])
  return (
    <nav
      ref={nav}
      aria-label="Settings"
      className="sticky top-bar z-sticky -mx-4 overflow-x-auto border-b border-line bg-page px-4 py-1 sm:-mx-6 sm:px-6 lg:static lg:z-auto lg:mx-0 lg:overflow-visible lg:border-b-0 lg:p-0"
    >
      <ul className="flex gap-1 lg:sticky lg:top-24 lg:flex-col">
        {settingsSections.map(({ id, label }) => (
          <li key={id}>
            <Link
              to="/console/settings"
              hash={id}
              replace
              resetScroll={false}
              activeOptions={{ exact: true, includeHash: true, includeSearch: false }}
              className="flex h-control items-center rounded-control px-3 whitespace-nowrap text-muted hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
