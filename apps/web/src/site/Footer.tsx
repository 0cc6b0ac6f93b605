import { themes } from '../ui/theme.ts'
import { buttonClass } from '../ui/button-class.ts'
import { cx } from '../ui/cx.ts'
import { Mark } from '../ui/Mark.tsx'

const columns = [
  {
    title: 'Products',
    links: [
      { href: '/products', label: 'GPU Instances' },
      { href: '/products', label: 'Serverless' },
      { href: '/products', label: 'Storage' },
      { href: '/pricing', label: 'Pricing' },
      { href: '/use-cases', label: 'Use Cases' },
    ],
  },
  {
    title: 'Developers',
    links: [
      { href: '/docs', label: 'Documentation' },
      { href: '/docs/api', label: 'API reference' },
      { href: '/tutorials', label: 'Tutorials' },
      { href: '/community', label: 'Community' },
      { href: '/status', label: 'Status' },
    ],
  },
  {
    title: 'Company',
    links: [
      { href: '/about', label: 'About' },
      { href: '/blog', label: 'Blog' },
      { href: '/careers', label: 'Careers' },
      { href: '/contact', label: 'Contact' },
    ],
  },
  {
    title: 'Trust',
    links: [
      { href: '/privacy', label: 'Privacy' },
      { href: '/terms', label: 'Terms' },
      { href: '/security', label: 'Security' },
      { href: '/compliance', label: 'Compliance' },
    ],
  },
]

const themeNames = { system: 'System', light: 'Light', dark: 'Dark' }

export function Footer() {
  return (
    <footer className="mt-12 border-t border-line bg-sunken">
      <div className="mx-auto max-w-site px-4 py-12 sm:px-6">
        <div className="flex flex-wrap items-center justify-between gap-4 border-b border-line pb-8">
          <p className="text-heading">Create an account, add funds, deploy.</p>
          <a href="/get-started" className={buttonClass('secondary', 'l')}>
            Get Started
          </a>
        </div>
        <nav aria-label="Footer" className="grid grid-cols-2 gap-8 py-8 lg:grid-cols-5">
          <div className="max-lg:col-span-2">
            <a href="/" className="inline-flex items-center gap-2 rounded-control text-lead font-bold">
              <Mark />
              Ingot
            </a>
          </div>
          {columns.map(column => (
            <div key={column.title}>
              <h2 className="text-label text-muted">{column.title}</h2>
              <ul className="mt-2">
                {column.links.map(link => (
                  <li key={link.label}>
                    <a
                      href={link.href}
                      className="inline-block py-1 pointer-coarse:py-3 hover:text-link hover:underline"
                    >
                      {link.label}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <div className="flex flex-wrap items-center justify-between gap-4 border-t border-line pt-6 text-muted">
          {/* The island replaces the words when the service says otherwise. */}
          <div data-island="system-status" className="flex flex-wrap gap-x-6 gap-y-1">
            <p aria-live="polite">
              <a href="/status" data-state className="hover:text-link hover:underline">
                Status: All systems operational
              </a>
            </p>
            <p data-uptime className="tabular-nums">
              99.9% uptime (target)
            </p>
          </div>
          <ThemeSwitch />
        </div>
      </div>
    </footer>
  )
}

function ThemeSwitch() {
  return (
    <fieldset data-island="theme-switch" className="needs-script flex items-center gap-1">
      <legend className="sr-only">Theme</legend>
      {themes.map(theme => (
        <label
          key={theme}
          className={cx(
            'relative flex h-8 items-center rounded-control border border-transparent px-3',
            'has-checked:border-line-strong has-checked:bg-raised has-checked:text-ink',
            'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
          )}
        >
          <input
            type="radio"
            name="theme"
            value={theme}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {themeNames[theme]}
        </label>
      ))}
    </fieldset>
  )
}
