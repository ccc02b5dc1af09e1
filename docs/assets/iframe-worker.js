/* Browsers start no worker from a page that was opened as a file. There the search runs in a hidden frame. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      // What the script posts goes to the page, not to the script itself.
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = this.load(new URL(url, location.href).href);
      this.inside.importScripts = (...urls) => Promise.all(urls.map((each) => this.load(each)));
    }
    load(url) {
      const script = this.inside.document.createElement("script");
      script.src = url;
      this.inside.document.body.append(script);
      return new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker;
}
