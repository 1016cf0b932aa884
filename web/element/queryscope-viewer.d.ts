/** `<queryscope-viewer>`: shows a trace of a database engine. Times are nanoseconds since the beginning of the trace. */

export type TraceSource = string | URL | ArrayBuffer | ArrayBufferView | Blob | File | ReadableStream<Uint8Array | string> | Response;
export type View = "overview" | "gantt" | "flame" | "statements" | "sources" | "pivot" | "parallel" | "compare" | "transactions" | "tables";
export type Theme = "auto" | "light" | "dark";
export type Controls = "full" | "minimal" | "none";
export type Loading = "lazy" | "eager";
export type ExportFormat = "report" | "report-json" | "svg" | "png";

export interface ImageOptions {
  /** Colours; otherwise those of the current theme. */
  theme?: "light" | "dark";
}

/** Summary of an open trace. */
export interface TraceInfo {
  readonly name: string;
  readonly files: number;
  /** Size of the files as stored, in bytes. */
  readonly bytes: number;
  readonly runs: number;
  readonly queries: number;
  /** Records read. */
  readonly events: number;
  /** Spans and events that are drawn. */
  readonly items: number;
  /** Kinds of problems in the import report. */
  readonly problems: number;
  /** End of the longest run, in nanoseconds. */
  readonly end: bigint;
}

/** A span or event of a trace. */
export interface ItemRef {
  readonly item: number;
  readonly start: bigint | string | number;
  readonly duration: bigint | string | number;
}

export interface Selection extends ItemRef {
  readonly start: bigint;
  readonly duration: bigint;
  readonly name: string;
}

export interface OpenOptions {
  /** Name to show; otherwise the last part of the URL, or the name of the file. */
  name?: string;
  /** Adds the trace to the open one. */
  append?: boolean;
  /** State of the views: the part of a link after `#`, without `trace`. */
  state?: string;
}

/** Code of an error; the handbook's chapter on embedding describes each code. */
export type ErrorCode = "source" | "too-large" | "fetch" | "read" | "memory" | "engine" | "aborted" | "start";

export interface QueryscopeError extends Error {
  readonly name: "QueryscopeError";
  readonly code: ErrorCode;
  readonly title: string;
}

export interface QueryscopeEventMap {
  "qs-ready": CustomEvent<Record<string, never>>;
  "qs-progress": CustomEvent<{ name: string; loaded: number; total: number | null; events: number; phase: "read" | "draw" }>;
  "qs-load": CustomEvent<{ info: TraceInfo }>;
  "qs-warning": CustomEvent<{ code: string; title: string; message: string }>;
  "qs-error": CustomEvent<{ code: ErrorCode; title: string; message: string }>;
  "qs-viewchange": CustomEvent<{ state: string }>;
  "qs-select": CustomEvent<{ selection: Selection | null }>;
}

export class QueryscopeViewer extends HTMLElement {
  src: string;
  /** Id of the format of all files; empty to detect it. Read when the viewer starts. */
  format: string;
  name: string;
  view: View | "";
  state: string;
  theme: Theme;
  controls: Controls;
  loading: Loading;
  poster: string;
  baseUrl: string;
  maxBytes: number;
  withCredentials: boolean;
  data: TraceSource | null;
  viewState: Record<string, string | string[]>;

  readonly loaded: Promise<TraceInfo>;
  readonly status: "idle" | "loading" | "ready" | "error";
  readonly info: TraceInfo | null;
  readonly selection: Selection | null;

  open(source: TraceSource, options?: OpenOptions): Promise<TraceInfo>;
  close(): void;
  zoomTo(range: { start: bigint | string | number; end: bigint | string | number; unit?: "ns" }): void;
  select(target: ItemRef | { query: string } | null): Promise<boolean>;
  search(text: string): void;
  permalink(options?: { base?: string | URL }): string;
  /** The import report, or an image of the view. Rejects with a {@link QueryscopeError} that states the reason if there is none. */
  exportAs(format: ExportFormat, options?: ImageOptions): Promise<Blob>;
  /** The view as an image. */
  toBlob(type?: "image/png" | "image/svg+xml", options?: ImageOptions): Promise<Blob>;
  dispose(): void;

  addEventListener<K extends keyof QueryscopeEventMap>(
    type: K,
    listener: (this: QueryscopeViewer, event: QueryscopeEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (this: QueryscopeViewer, event: HTMLElementEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "queryscope-viewer": QueryscopeViewer;
  }
}
